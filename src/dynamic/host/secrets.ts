/**
 * What is secret, as a dynamic provider knows it: by the names of arguments, each of which is secret as a whole. The
 * class gives the names of those that contain secrets, and the outputs keep the names of what was secret.
 */

import type { JsonObject } from "../../base/json";
import type { Options } from "../../core/options";
import {
  encloseSecrets,
  type Marked,
  markedNames,
  markNames,
  markOutputs,
  namedSecrets,
  type SecretMarks,
  secretsKey,
} from "../../core/secrets";
import type { Definition } from "../../definitions/definition";

type Properties = Pick<Definition, "fields" | "computed">;

/** What the program declares with these arguments. An argument that it ignores has its value from the state. */
export function declaredIn(args: JsonObject, inputs: JsonObject, { ignoreChanges }: Options): Marked {
  const ignored = ignoreChanges.map((path) => /[^."[\]]+/.exec(path)?.[0]);
  const isDeclared = (name: string) => !ignored.includes(name) && !ignored.includes("*");
  return {
    values: Object.fromEntries(Object.entries(args).filter(([name]) => isDeclared(name))),
    marks: namedSecrets(inputs),
  };
}

/** What the state has in plain text, because the program declared it so. A read gets no inputs. */
export function recordedPlain(outputs: JsonObject): Marked {
  const secret = markedNames(namedSecrets(outputs));
  return { values: Object.fromEntries(Object.entries(outputs).filter(([name]) => !secret.includes(name))) };
}

/** The names in the outputs as the class gives them: the engine would show those that come and go as a change. */
export function secretsInput({ [secretsKey]: names }: JsonObject, inputs: JsonObject): JsonObject {
  const among = typeof names === "string" ? names.split(" ").filter((name) => name in inputs) : [];
  return among.length > 0 ? { [secretsKey]: among.join(" ") } : {};
}

/** Outputs as the state records them. */
export function encloseOutputs(
  definition: Properties,
  values: JsonObject,
  declared: Marked,
  before: SecretMarks | undefined,
): JsonObject {
  const { values: outputs, marks } = markOutputs(definition, values, declared, before);
  return encloseSecrets({ values: outputs, marks: markNames(markedNames(marks)) });
}
