/** Waits until something is so, and fails when it does not come to that. */
export async function until(isSo: () => boolean, ms = 60_000): Promise<void> {
  for (const end = Date.now() + ms; !isSo(); ) {
    if (Date.now() > end) throw new Error("it did not come to that");
    await new Promise((done) => setTimeout(done, 5));
  }
}
