/** The emulator's page beside a real `pulumi up`: an edge is on it before the program is through. */

import { openPage, testInBrowser } from "../support/browser";
import { createStack, declare, startService } from "../support/cliStack";

testInBrowser("a person who watches sees the edges appear, change and go", async () => {
  let isSeen = () => {};
  const seen = new Promise<void>((done) => {
    isSeen = done;
  });
  const emulator = await startService({
    // The second edge is answered only when the first is on the page.
    onRequest: ({ method, body }) => (method === "POST" && JSON.stringify(body).includes("second") ? seen : undefined),
  });
  const { page, problems } = await openPage(emulator.url);
  const card = (name: string) => page.locator("#account li").filter({ has: page.getByRole("heading", { name }) });
  const program = (description: string) =>
    [
      declare("TcpEdge", "first", { description, hostports: ["1.tcp.example.com:1"] }),
      declare("TcpEdge", "second", { description: "the second" }, { dependsOn: "=first" }),
    ].join("\n");
  const { stack } = await createStack(emulator, program("the first"));
  const up = stack.up();
  up.catch(() => {}); // told by the await below, unless the page fails first
  await card("the first").waitFor();
  isSeen();
  await up;
  await card("the second").waitFor();
  stack.write(program("changed"));
  await stack.up();
  await card("changed").waitFor();
  await stack.destroy();
  await page.getByText("No edges yet").waitFor();
  const requests = await page.getByRole("list", { name: "Requests, newest first" }).innerText();
  expect(requests.match(/POST|PATCH|DELETE/g)).toEqual(["DELETE", "DELETE", "PATCH", "POST", "POST"]);
  expect(problems).toEqual([]);
});
