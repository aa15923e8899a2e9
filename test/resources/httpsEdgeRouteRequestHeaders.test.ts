import { httpsEdgeRouteRequestHeaders } from "../../src/definitions/httpsEdgeRouteRequestHeaders";
import { enabled, type ModuleTable } from "../support/data/modules";
import { describe, test } from "../support/engine/testedProvider";
import { errorOf } from "../support/errorOf";
import { routes } from "./parents";
import { moduleTable, suite, updates } from "./suite";

const put = (body: object) => updates(["PUT /edges/https/{edge_id}/routes/{id}/request_headers", body]);

const full = {
  enabled: false,
  add: { "X-Api_Key": "key-of-upstream", "x-foo": "value-of-foo" },
  remove: ["Cookie", "ETag"],
};
const [theirs, theirNames] = [{ "X-Theirs": "theirs" }, ["X-Theirs"]];
const requestHeaders: ModuleTable = {
  full,
  wire: full,
  rows: {
    enabled,
    add: { other: { "X-Api_Key": "another-key" }, outsideValue: theirs, nonDefault: theirs },
    remove: { other: ["Cookie"], outsideValue: theirNames, nonDefault: theirNames },
  },
};

const fixture = suite(httpsEdgeRouteRequestHeaders, moduleTable(requestHeaders, put, routes));

describe("header names", () => {
  const pathOf = (id: string) => `/edges/https/${id.replace("/", "/routes/")}/request_headers`;
  const odd = { "X-Api_Key": "key-of-upstream", "x-foo": "b", ETag: "c", x_under_score: "d", "X-camelCase": "e" };

  test("are sent and read exactly as written", async () => {
    const args = { ...fixture.minimal, add: odd, remove: ["x-foo", "X-Foo_Bar", "ETag"] };
    const headers = await fixture.createResource(args);
    const [route] = fixture.emulator.account.httpsEdges[0]!.routes;
    expect(route!.request_headers).toEqual({ enabled: true, add: odd, remove: ["x-foo", "X-Foo_Bar", "ETag"] });
    expect(headers.outputs.add).toEqual(odd);
    await fixture.expectSettled(headers, args);
  });

  test("in another case are no change, and keep the declared form", async () => {
    const args = { ...fixture.minimal, add: { "X-Foo": "a", "X-Bar": "b" }, remove: ["Cookie", "ETag"] };
    const headers = await fixture.createResource(args);
    const inCase = { add: { "x-foo": "a", "X-BAR": "b" }, remove: ["etag", "cookie"] };
    fixture.emulator.api("PUT", pathOf(headers.state!.id), inCase);
    expect(await headers.refresh()).toBe("same");
    expect(headers.outputs).toMatchObject({ add: args.add, remove: args.remove });
    await fixture.expectSettled(headers, args);
    expect(await headers.up({ ...fixture.minimal, ...inCase })).toBe("same");
    expect(fixture.takeRequests()).toEqual([]);
  });

  test("keep the declared form where other headers differ", async () => {
    const args = { ...fixture.minimal, add: { "X-Foo": "a", "X-Bar": "b" } };
    const headers = await fixture.createResource(args);
    fixture.emulator.api("PUT", pathOf(headers.state!.id), { add: { "x-foo": "a", "x-bar": "c", "x-new": "d" } });
    expect(await headers.refresh()).toBe("changed");
    expect(headers.outputs.add).toEqual({ "X-Foo": "a", "X-Bar": "c", "x-new": "d" });
    expect(headers.state!.inputs.add).toEqual({ "X-Foo": "a", "X-Bar": "c", "x-new": "d" });
    expect(await headers.up(args)).toBe("update");
    await fixture.expectSettled(headers, args);
  });

  const previewError = (args: object) => errorOf(fixture.resource().preview({ ...fixture.minimal, ...args }));

  test("that differ only in case are rejected", async () => {
    expect(await previewError({ add: { "X-Foo": "a", "x-foo": "b" } })).toBe(
      "add has the same header twice; header names are case-insensitive",
    );
  });

  test("must be valid in HTTP", async () => {
    for (const name of ["X Foo", "X:Foo", "", "X-Fóo", "X\nFoo"]) {
      expect(await previewError({ add: { [name]: "a" } })).toBe(
        "add has an invalid header name; use letters, digits and hyphens",
      );
      expect(await previewError({ remove: ["Cookie", name] })).toBe(
        "remove[1] must be a header name (letters, digits and hyphens)",
      );
    }
  });

  test("have values of one line, which no message quotes", async () => {
    const message = await previewError({ add: { "X-Foo": "hush\r\nX-Bar: hush" } });
    expect(message).toBe("add: a value must not contain line breaks or other control characters");
  });
});
