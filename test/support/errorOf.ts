/** The message with which an operation fails. */
export const errorOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => Promise.reject(new Error("it did not fail")),
    (error: Error) => error.message,
  );
