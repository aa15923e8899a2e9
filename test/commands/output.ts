/** Collects the output of a command that runs in this process. */
export function collectOutput() {
  const printed = { out: "", err: "" };
  const collect = (stream: "out" | "err") => (text: string) => {
    printed[stream] += text;
  };
  return { printed, io: { out: collect("out"), err: collect("err") } };
}
