/** The emulator's dashboard with the real CLI: edges appear during `pulumi up`, and a click makes drift. */

import { openPage, testInBrowser } from "../support/browser";
import { createStack, declare, startService } from "../support/cli/cliStack";

testInBrowser("edges appear, change and disappear on an open page", async () => {
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

testInBrowser("drift is made with a click, found by a refresh and repaired by `pulumi up`", async () => {
  const emulator = await startService();
  const restriction = { ipPolicyIds: ["ipp_office"] };
  const { stack } = await createStack(
    emulator,
    [
      declare("TcpEdge", "ssh", { description: "SSH", hostports: ["1.tcp.example.com:1"], ipRestriction: restriction }),
      declare("TlsEdge", "database", { description: "Database" }),
    ].join("\n"),
  );
  await stack.up();
  const { page, problems } = await openPage(emulator.url);
  const click = (name: string) => page.getByRole("button", { name, exact: true }).click();

  await click("Change SSH");
  const body = page.getByRole("dialog").getByRole("textbox");
  await body.fill((await body.inputValue()).replace('"SSH"', '"Changed by hand"'));
  await click("Save");
  await page.getByRole("heading", { name: "Changed by hand" }).waitFor();
  await click("Remove ip restriction of Changed by hand");
  await page.locator("#account").getByText("ipp_office").waitFor({ state: "detached" });
  await click("Delete Database");
  await page.getByRole("heading", { name: "Database" }).waitFor({ state: "detached" });

  await stack.preview({ expectNoChanges: true });
  const { stdout, summary } = await stack.preview({ diff: true, args: ["--refresh"] });
  expect(summary).toEqual({ create: 1, same: 1, update: 1 });
  expect(stdout).toMatch(/description *: "Changed by hand" => "SSH"/);
  expect((await stack.refresh()).summary).toMatchObject({ delete: 1, update: 1 });
  expect((await stack.up()).summary).toMatchObject({ create: 1, update: 1 });
  await page.getByRole("heading", { name: "SSH", exact: true }).waitFor();
  await page.getByRole("heading", { name: "Database" }).waitFor();
  expect(emulator.account).toMatchObject({
    tcpEdges: [{ description: "SSH", ip_restriction: { ip_policies: [{ id: "ipp_office" }] } }],
    tlsEdges: [{ description: "Database" }],
  });
  await stack.destroy();
  expect(problems).toEqual([]);
});
