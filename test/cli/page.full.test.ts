/** The emulator's dashboard during a real `pulumi up`: an edge appears before the deployment ends. */

import { openPage, testInBrowser } from "../support/browser";
import { createStack, declare, startService } from "../support/cliStack";

testInBrowser("edges appear, change and disappear while one watches", async () => {
  let isSeen = () => {};
  const seen = new Promise<void>((done) => {
    isSeen = done;
  });
  const emulator = await startService({
    // The response for the second edge waits until the first is on the page.
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
  up.catch(() => {}); // awaited below, unless the page fails first
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
