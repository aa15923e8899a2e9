/** Waits until a condition holds, or fails after the timeout. */
export async function waitUntil(condition: () => boolean, ms = 60_000): Promise<void> {
  for (const end = Date.now() + ms; !condition(); ) {
    if (Date.now() > end) throw new Error("timed out waiting for a condition");
    await new Promise((done) => setTimeout(done, 5));
  }
}
