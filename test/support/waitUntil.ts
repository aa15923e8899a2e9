/** Waits until something is so, and fails when it does not come to that. */
export async function waitUntil(condition: () => boolean, ms = 60_000): Promise<void> {
  for (const end = Date.now() + ms; !condition(); ) {
    if (Date.now() > end) throw new Error("it did not come to that");
    await new Promise((done) => setTimeout(done, 5));
  }
}
