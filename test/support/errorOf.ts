/** The error with which an operation fails. */
export const failureOf = <E extends Error = Error>(work: Promise<unknown>): Promise<E> =>
  work.then(
    () => Promise.reject(new Error("it did not fail")),
    (error: E) => error,
  );

/** The message with which an operation fails. */
export const errorOf = async (work: Promise<unknown>): Promise<string> => (await failureOf(work)).message;
