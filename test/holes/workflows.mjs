const approval = "test/examples/approval.test.ts";
const ofExample = (name) => [
  [
    "a comment that changed after the label approves the commit",
    " and .updated_at < env.LABELED",
    "",
    approval,
    `${name} the comment was there`,
  ],
  [
    "a commit that somebody names in a description is approved",
    "select(endswith(",
    "select(contains(",
    approval,
    `${name} the comment was there`,
  ],
  [
    "a label is enough, whatever the comment shows",
    'if [ -z "$shown" ]; then',
    "if false; then",
    approval,
    `${name} a label that was added`,
  ],
  [
    "a status that anybody has written is an approval",
    ' and .creator.login == "github-actions[bot]") | .id',
    ") | .id",
    approval,
    `${name} a workflow has written`,
  ],
  [
    "any merged pull request with the commit approves it",
    " and .merge_commit_sha == env.GITHUB_SHA",
    "",
    approval,
    `${name} a workflow has written`,
  ],
];

export default {
  "examples/gitops/.github/workflows/edges.yml": ofExample("gitops"),
  "examples/gitops-yaml/.github/workflows/edges.yml": ofExample("gitops-yaml"),
};
