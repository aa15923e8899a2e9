/** What a preview knows of the outputs after a create or an update. */

import { previewCreate, previewUpdate } from "../../../src/core/plan/preview";
import { unknownValue } from "../../../src/core/unknown";
import { apiKey } from "../../../src/definitions/apiKey";
import { httpsEdgeTlsTermination } from "../../../src/definitions/httpsEdgeTlsTermination";
import { tlsEdge } from "../../../src/definitions/tlsEdge";

test("a preview of a new object knows declared values, and none that the service assigns", () => {
  expect(previewCreate(apiKey, { description: "ci" })).toEqual({
    description: "ci",
    metadata: unknownValue,
    ownerId: unknownValue,
    token: unknownValue,
    createdAt: unknownValue,
    uri: unknownValue,
  });
});

test("a preview of a declared module knows the API document's defaults, and none that the service chooses", () => {
  expect(previewCreate(tlsEdge, { tlsTermination: { minVersion: "1.2" } })).toMatchObject({
    tlsTermination: { enabled: true, minVersion: "1.2", terminateAt: unknownValue },
    mutualTls: unknownValue,
  });
  expect(previewCreate(httpsEdgeTlsTermination, { edgeId: "edghts_1" })).toEqual({
    edgeId: "edghts_1",
    enabled: true,
    minVersion: unknownValue,
    terminateAt: unknownValue,
  });
});

test("a preview shows a map as declared, and a module as unknown if it is unknown as a whole", () => {
  expect(previewCreate(apiKey, { keepers: { rotated: "2026" } })).toMatchObject({ keepers: { rotated: "2026" } });
  expect(previewCreate(tlsEdge, { backend: unknownValue })).toMatchObject({ backend: unknownValue });
});

test("a preview of an update knows the defaults of a module's arguments that are left out", () => {
  const before = { edgeId: "edghts_1", enabled: false, minVersion: "1.3" };
  const desired = { edgeId: "edghts_1" };
  expect(previewUpdate(httpsEdgeTlsTermination, before, desired, ["enabled", "minVersion"])).toEqual({
    edgeId: "edghts_1",
    enabled: true,
    minVersion: unknownValue,
  });
});

test("a preview of an update changes the values that are sent, and keeps the rest", () => {
  const before = {
    description: "old",
    metadata: "kept",
    hostports: ["a.example.com:1"],
    backend: { enabled: true, backendId: "bkdhr_1" },
    createdAt: "2026-01-01T00:00:00Z",
  };
  const desired = { description: "new", backend: { backendId: unknownValue } };
  expect(previewUpdate(tlsEdge, before, desired, ["description", "hostports", "backend"])).toStrictEqual({
    description: "new",
    metadata: "kept",
    backend: { enabled: true, backendId: unknownValue },
    createdAt: "2026-01-01T00:00:00Z",
  });
});
