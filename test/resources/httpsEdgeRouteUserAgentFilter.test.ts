import { httpsEdgeRouteUserAgentFilter } from "../../src/definitions/httpsEdgeRouteUserAgentFilter";
import { enabled, type ModuleTable } from "../support/data/modules";
import { describeDynamic, test } from "../support/engine/testedProvider";
import { errorOf } from "../support/errorOf";
import { routes } from "./parents";
import { moduleTable, suite, updates } from "./suite";

const put = (body: object) => updates(["PUT /edges/https/{edge_id}/routes/{id}/user_agent_filter", body]);

const full = { enabled: false, allow: ["(?i)curl/.*", "Mozilla"], deny: ["[Bb]ot", "crawler"] };
const theirs = { outsideValue: ["theirs"], nonDefault: ["theirs"] };
const userAgentFilter: ModuleTable = {
  full,
  wire: full,
  rows: { enabled, allow: { ...theirs, other: ["Mozilla"] }, deny: { ...theirs, other: [] } },
};

const fixture = suite(httpsEdgeRouteUserAgentFilter, moduleTable(userAgentFilter, put, routes));

describeDynamic("a pattern", () => {
  for (const pattern of [
    "(?i)curl/.*",
    "(?P<name>bot)",
    "(?<name>bot)",
    "[]a]",
    "[^]a]",
    "[[:alpha:]]+",
    "a\\(b",
    "[(]",
    "\\Q(\\E",
    "a{2,}",
    "*",
    "]",
    "",
  ]) {
    test(`${JSON.stringify(pattern)} is accepted, also by the service`, async () => {
      const args = { ...fixture.minimal, allow: [pattern], deny: [`x${pattern}`] };
      const filter = await fixture.createResource(args);
      await fixture.expectSettled(filter, args);
    });
  }

  for (const [pattern, flaw] of [
    ["(bot", 'unmatched "("'],
    ["bot)", 'unmatched ")"'],
    ["a)(b", 'unmatched ")"'],
    ["[bot", 'unmatched "["'],
    ["[]", 'unmatched "["'],
    ["[a\\]", 'unmatched "["'],
    ["bot\\", "trailing backslash"],
  ] as const) {
    test(`${JSON.stringify(pattern)} is invalid in every dialect`, async () => {
      for (const name of ["allow", "deny"]) {
        const message = await errorOf(fixture.resource().preview({ ...fixture.minimal, [name]: ["ok", pattern] }));
        expect(message).toBe(`${name}[1] is not a valid regular expression: ${flaw}`);
      }
      expect(fixture.takeRequests()).toEqual([]);
    });
  }
});
