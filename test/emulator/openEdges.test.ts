/** What the emulator's page calls open to anyone: the same as the commands. */
import { whoCanConnect } from "../../src/commands/exposure/model";
import { readItem } from "../../src/core/functions/query";
import { script } from "../../src/emulator/dashboardScript";
import { definitionOf } from "../support/data/samples";

const [source] = /^function describeOpen\([\s\S]*?^}$/m.exec(script)!;
const describeOpen = new Function(`${source}; return describeOpen;`)() as (edge: object) => string;
const words: Record<string, string> = { anyone: "open to anyone", unknown: "might be open to anyone" };

const ipPolicies = (...ids: string[]) => ({ ip_policies: ids.map((id) => ({ id, uri: "" })) });
const authorities = (...ids: string[]) => ({ certificate_authorities: ids.map((id) => ({ id, uri: "" })) });
const rule = (...types: string[]) => ({
  name: "",
  expressions: ["x"],
  actions: types.map((type) => ({ type, config: {} })),
});
const policy = (...inbound: object[]) => ({ enabled: true, inbound, outbound: [rule("deny")] });
const states = [true, false].map((enabled) => ({ enabled }));

const choices = {
  hostports: [["a.example:1"], [], null],
  backend: [...states.map((state) => ({ ...state, backend: { id: "bkdhr_1", uri: "" } })), null],
  ip_restriction: [
    null,
    ...states.map((state) => ({ ...state, ...ipPolicies("ipp_1") })),
    { enabled: true, ...ipPolicies() },
  ],
  mutual_tls: [
    null,
    ...states.map((state) => ({ ...state, ...authorities("ca_1") })),
    { enabled: true, ...authorities() },
  ],
  tls_termination: [
    null,
    ...states.flatMap((state) => ["edge", "upstream"].map((terminate_at) => ({ ...state, terminate_at }))),
  ],
  policy: [
    null,
    policy(),
    policy(rule()),
    policy(rule("deny")),
    policy(rule("log")),
    policy(rule("deny"), rule("log")),
    { ...policy(rule("deny")), enabled: false },
  ],
};

/** Every edge with one of each. */
const edges = Object.entries<unknown[]>(choices).reduce<Record<string, unknown>[]>(
  (all, [name, values]) => all.flatMap((edge) => values.map((value) => ({ ...edge, [name]: value }))),
  [{ id: "edgtls_1", uri: "", created_at: "", description: "", metadata: "" }],
);

test("the page shows an edge as open if the commands do", () => {
  const definition = definitionOf({ type: "TlsEdge" }) as Parameters<typeof readItem>[0];
  const wrong = edges.filter(
    (edge) => describeOpen(edge) !== (words[whoCanConnect(readItem(definition, edge as never))] ?? ""),
  );
  expect(wrong).toEqual([]);
  expect(new Set(edges.map(describeOpen))).toEqual(new Set(["", ...Object.values(words)]));
});

test("the page does not show an API key as open", () => {
  expect(describeOpen({ id: "ak_1" })).toBe("");
});
