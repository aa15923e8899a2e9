/** Ids that turn out to be unset: one sentence each, and no request. */
import { deployed, errors, service } from "../support/deployed";

const empty = (argument: string) => `${argument} is empty; it must be the id of an existing object.`;

test.each([
  ['tunnel.ApiKey.get("k", process.env.NOPE);', empty('ApiKey "k": id')],
  ['tunnel.TcpEdge.get("e", pulumi.output(undefined));', empty('TcpEdge "e": id')],
  ['new tunnel.TcpEdge("e", {}, { import: pulumi.output("") });', empty('TcpEdge "e": import')],
])("%s", async (statement, message) => {
  const { stack, calls } = await deployed(await service(), statement);
  expect(errors(await stack.preview({ fails: true }))).toEqual([message]);
  expect(calls()).toEqual([]);
});
