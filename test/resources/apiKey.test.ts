import { apiKey } from "../../src/resources/apiKey";
import { replaces, same, suite, updates } from "./suite";

const patch = (body: object) => updates(["PATCH /api_keys/{id}", body]);
const rotate = (body: object) => replaces(["POST /api_keys", body], ["DELETE /api_keys/{id}"]);

const full = { description: "ci", metadata: "team=edge", ownerId: "usr_1", keepers: { quarter: "2027-Q1" } };
const wire = { description: "ci", metadata: "team=edge", owner_id: "usr_1" };

const stage = suite(apiKey, {
  full,
  wire,
  everything: { add: rotate(wire), clear: rotate({}) },
  rows: {
    description: {
      other: "deployments",
      add: patch({ description: "ci" }),
      change: patch({ description: "deployments" }),
      clear: patch({ description: "" }),
      theirs: "theirs",
    },
    metadata: {
      other: "team=web",
      add: patch({ metadata: "team=edge" }),
      change: patch({ metadata: "team=web" }),
      clear: patch({ metadata: "" }),
      theirs: "theirs",
    },
    ownerId: {
      other: "usr_2",
      add: rotate({ owner_id: "usr_1" }),
      change: rotate({ ...wire, owner_id: "usr_2" }),
      clear: same,
    },
    keepers: {
      other: { quarter: "2027-Q2" },
      add: rotate({}),
      change: rotate(wire),
      clear: rotate(wire),
    },
  },
});

test("placeholder", () => expect(stage).toBeDefined());
