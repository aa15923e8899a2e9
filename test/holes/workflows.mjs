const example = "test/examples/gitops.test.ts";

export default {
  "examples/gitops/.github/workflows/edges.yml": [
    [
      "a check that is skipped, because the preview failed, counts as passed",
      "if: always() && github",
      "if: github",
      example,
      "the check runs no program",
    ],
    [
      "the previews of another job replace files of the checkout",
      "with: { name: previews, path: previews }",
      "with: { name: previews }",
      example,
      "the check runs no program",
    ],
    [
      "a folder of the repository is the policy pack",
      "rm -rf previews .policy #",
      "#",
      example,
      "the policy pack is made where",
    ],
    [
      "an edge is opened without a line of the list",
      "exposure --fail --accept",
      "exposure --accept",
      example,
      "the check runs no program",
    ],
  ],
};
