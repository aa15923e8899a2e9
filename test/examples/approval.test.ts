/** Who lets a change pass that opens public addresses, in both GitOps workflows. Nothing of Pulumi runs. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parse } from "yaml";
import { runProcess } from "../support/cli/example";
import { writeCommands } from "../support/cli/repository";
import { runJob, type StepResult } from "../support/cli/workflow";
import { root } from "../support/root";
import { testIf } from "../support/testIf";

const mark = "<!-- pulumi-tunnel-edge exposure: edges/production -->";
const bot = { login: "github-actions[bot]" };
const required = "Require an approval of what opens";
const approved = "Approve the commit that the comment shows";
const hasJq = spawnSync("jq", ["--version"]).status === 0;

describe.each(["gitops", "gitops-yaml"])("%s", (example) => {
  const file = join(root, "examples", example, ".github/workflows/edges.yml");
  const { jobs, on } = parse(readFileSync(file, "utf8"));
  const dir = mkdtempSync(join(tmpdir(), "approval-"));
  const bin = join(dir, "bin");
  // Whoever asks is told that something opens.
  writeCommands(bin, { npx: "exit 1", pulumi: "exit 1" });
  writeFileSync(join(dir, "comment.md"), `${mark}\n\nA comment.\n`);
  afterAll(() => rmSync(dir, { recursive: true }));

  /** Runs these steps of a job, and returns their outcomes and the calls of `gh`. Everything else is done. */
  async function run(job: string, names: string[], head: string, found = "", inputs: object = {}) {
    rmSync(join(bin, "ghCalls"), { force: true });
    writeFileSync(join(bin, "answer"), found);
    writeFileSync(join(bin, "head"), head);
    const success: StepResult = { outcome: "success", printed: "", outputs: {} };
    const others = jobs[job].steps.flatMap(({ name }: { name?: string }) =>
      name && !names.includes(name) ? [name] : [],
    );
    const event = { number: 7, pull_request: { head: { sha: head } }, sender: { login: "alice" } };
    const { steps } = await runJob(
      file,
      job,
      dir,
      { github: { token: "token", event }, secrets: { TUNNEL_EDGE_API_KEY: "key" }, inputs: { ...inputs }, vars: {} },
      { PATH: `${bin}${delimiter}${process.env["PATH"]}`, GITHUB_REPOSITORY: "acme/edges", GITHUB_SHA: "89abcde" },
      {},
      Object.fromEntries(others.map((name: string) => [name, success])),
    );
    const calls = existsSync(join(bin, "ghCalls")) ? readFileSync(join(bin, "ghCalls"), "utf8").trim().split("\n") : [];
    return { steps, calls, outcome: steps[names[0]!]!.outcome };
  }
  const preview = async (head: string) => (await run("preview", [required], head)).outcome;
  const deploy = async (head: string, inputs?: object) => (await run("up", [required], head, "", inputs)).outcome;

  test("an approval is of one commit, and no label is asked for", async () => {
    expect([await preview("0123abc"), await deploy("0123abc"), await deploy("")]).toEqual(Array(3).fill("failure"));
    const { outcome, calls } = await run("approve", [approved], "0123abc", "a comment");
    expect(outcome).toBe("success");
    expect(calls.at(-1)).toBe(
      "api --method POST repos/acme/edges/statuses/0123abc --silent --raw-field state=success --raw-field context=opens-edges --raw-field description=Approved by alice",
    );
    expect([await preview("0123abc"), await deploy("0123abc")]).toEqual(["success", "success"]);
    // After a push, also of a pull request that was closed meanwhile, the label is still there.
    expect([await preview("4567def"), await deploy("4567def"), await deploy("")]).toEqual(Array(3).fill("failure"));
    expect(await deploy("4567def", { "opens-edges": true })).toBe("success");
    for (const job of ["preview", "up"])
      expect((await run(job, [required], "0123abc")).calls.join()).not.toMatch(/label/);
  });

  test("a label that was added before the comment showed the commit approves nothing", async () => {
    const { steps, outcome, calls } = await run("approve", [approved], "fedcba9");
    expect(outcome).toBe("failure");
    expect(steps[approved]!.printed).toMatch(/^::error::.* did not show what commit fedcba9 opens\./);
    expect(calls.join()).not.toContain("POST");
    expect(await preview("fedcba9")).toBe("failure");
  });

  test("nothing cancels an approval, and the preview waits for it, but runs without one", () => {
    expect(on.pull_request.types).toEqual(["opened", "synchronize", "reopened", "labeled"]);
    expect([parse(readFileSync(file, "utf8")).concurrency, jobs.approve.concurrency]).toEqual([undefined, undefined]);
    expect(jobs.approve.if).toMatch(
      /^github\.event\.action == 'labeled' && github\.event\.label\.name == 'opens-edges' &&/,
    );
    expect(jobs.preview.needs).toBe("approve");
    expect(jobs.preview.if).toMatch(/^!cancelled\(\) && /);
  });

  test("a comment that has not changed is left alone, so that it stays older than the label", async () => {
    const post = async () =>
      (await run("preview", ["Comment"], "0123abc", "12\n")).calls.filter((call) => call.includes("PATCH"));
    writeFileSync(join(bin, "comment"), "An older comment.\n");
    expect(await post()).toEqual([
      "api --method PATCH repos/acme/edges/issues/comments/12 --field body=@comment.md --silent",
    ]);
    expect(await post()).toEqual([]);
  });

  const filters = testIf(hasJq, "there is no jq.");
  /** What a call's filter leaves of a response. */
  async function filter(calls: string[], part: string, response: object[], env: Record<string, string> = {}) {
    const [query] = /(?<=--jq ).*$/.exec(calls.find((call) => call.includes(part))!)!;
    const json = join(dir, "response.json");
    writeFileSync(json, JSON.stringify(response));
    const { code, printed } = await runProcess("jq", ["--raw-output", query, json], dir, { ...process.env, ...env });
    expect(code).toBe(0);
    return printed.trim();
  }

  filters("of all comments, that with the mark by the workflow is its own", async () => {
    const comments = [
      { id: 10, user: bot, body: "Coverage" },
      { id: 11, user: { login: "somebody" }, body: mark },
      { id: 12, user: bot, body: `${mark}\n…` },
      { id: 13, user: bot, body: "<!-- pulumi-tunnel-edge exposure: edges/staging -->" },
    ];
    const { calls } = await run("preview", ["Comment"], "0123abc");
    expect(await filter(calls, "/issues/7/comments", comments)).toBe("12");
  });

  filters("the comment was there before the label, showed an opening, and ends with the commit", async () => {
    const { calls } = await run("approve", [approved], "0123abc", "a comment");
    const label = { event: "labeled", label: { name: "opens-edges" }, created_at: "2026-01-02T03:04:05Z" };
    const others = [{ ...label, label: { name: "other" } }, { ...label, event: "unlabeled" }, { event: "closed" }];
    expect(await filter(calls, "/issues/7/events", [...others, label])).toBe(label.created_at);
    const comment = {
      user: bot,
      updated_at: "2026-01-02T03:04:04Z",
      body: `${mark}\n\n### ⚠️ This change opens public addresses\n\nCommit \`0123abc\`.\n`,
    };
    const shown = (rest: object) =>
      filter(calls, "/issues/7/comments", [{ ...comment, ...rest }], { SHA: "0123abc", LABELED: label.created_at });
    expect(await shown({})).toBe(comment.body.trim());
    for (const rest of [
      { user: { login: "somebody" } },
      { updated_at: label.created_at },
      { body: comment.body.replace(mark, "") },
      {
        body: comment.body.replace("This change opens public addresses", "Public addresses are open because of drift"),
      },
      { body: comment.body.replace("0123abc", "4567def") },
      // The first line with a commit is what somebody wrote into a description.
      { body: `${comment.body}\nCommit \`4567def\`.` },
    ])
      expect(await shown(rest)).toBe("");
  });

  filters("a workflow has written the status, and the pull request is the one that was merged", async () => {
    const { calls } = await run("up", [required], "0123abc");
    const status = { id: 1, context: "opens-edges", state: "success", creator: bot };
    const others = [
      { ...status, context: "ci" },
      { ...status, state: "failure" },
      { ...status, creator: null },
    ];
    const approvals = (list: object[]) => filter(calls, "/commits/0123abc/statuses", list);
    expect([await approvals(others), await approvals([...others, status])]).toEqual(["", "1"]);

    const pull = { merged_at: "2026-01-02T03:04:05Z", merge_commit_sha: "89abcde", head: { sha: "0123abc" } };
    const notThis = [
      { ...pull, merged_at: null },
      { ...pull, merge_commit_sha: "fedcba9" },
    ];
    const find = (pulls: object[]) => filter(calls, "/commits/89abcde/pulls", pulls, { GITHUB_SHA: "89abcde" });
    expect([await find(notThis), await find([...notThis, pull])]).toEqual(["", "0123abc"]);
  });
});
