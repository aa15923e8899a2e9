import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as tunnel from "pulumi-tunnel-edge";

test("every class is mocked, and every function in one of its forms", () => {
  const text = ["edges.ts", "audit.ts"].map((file) => readFileSync(join(__dirname, file), "utf8")).join();
  const names = Object.keys(tunnel).filter((name) => !name.endsWith("Output"));
  expect(names.filter((name) => !new RegExp(`tunnel\\.${name}(Output)?\\(`).test(text))).toEqual([]);
});
