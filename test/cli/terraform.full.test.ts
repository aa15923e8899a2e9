/** The `removed` block of docs/import.md, with the Terraform or OpenTofu of this machine. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeIn } from "../docs/pages";
import { testIf } from "../support/testIf";

const name = ["terraform", "tofu"].find((command) => {
  try {
    execFileSync(command, ["version"], { stdio: "pipe" });
    return true;
  } catch {
    return false;
  }
});
const testWithTerraform = testIf(name, "neither Terraform nor OpenTofu is installed.");
const folder = mkdtempSync(join(tmpdir(), "terraform-"));
afterAll(() => rmSync(folder, { recursive: true }));

testWithTerraform(
  "the page's block takes a resource out of the state, and destroys nothing",
  () => {
    const terraform = (...args: string[]) =>
      execFileSync(name!, [...args, "-no-color"], { cwd: folder, encoding: "utf8", stdio: "pipe" });
    const write = (text: string) => writeFileSync(join(folder, "main.tf"), text);
    // A type that needs no provider in place of the service's.
    write('resource "terraform_data" "ssh" {}\n');
    terraform("init");
    terraform("apply", "-auto-approve");
    write(codeIn("docs/import.md", "hcl").replace("tunnel_tcp_edge.ssh", "terraform_data.ssh"));
    const plan = terraform("plan");
    expect(plan).toContain("will no longer be managed by Terraform");
    expect(plan).toContain("0 to destroy");
    expect(terraform("apply", "-auto-approve")).toContain("0 destroyed");
    expect(execFileSync(name!, ["state", "list"], { cwd: folder, encoding: "utf8", stdio: "pipe" })).toBe("");
  },
  120_000,
);
