import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { type Sample, samples } from "../data/samples";
import { declare } from "./declare";
import type { Properties } from "./provider";

interface DeclaredSample {
  sample: Sample;
  parents: Properties;
  /** The statement that declares the sample's first program. */
  statement: string;
}

/** Declares the samples of the resources that a program does not have. */
export const declareMissing = (program: string, emulator: Emulator, tag: string, among = samples): DeclaredSample[] =>
  among
    .filter(({ type }) => !program.includes(`new tunnel.${type}(`))
    .map((sample) => {
      const { type, programs } = sample;
      const parents = sample.parents?.(emulator) ?? {};
      return { sample, parents, statement: declare(type, `other${type}`, { ...parents, ...programs(tag)[0] }) };
    });
