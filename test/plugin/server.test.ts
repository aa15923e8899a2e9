/** How the plugin sends an error. */
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { PartialFailure } from "../../src/core/errors";
import { encloseSecrets } from "../../src/core/secrets";
import { decode, deserialize } from "../../src/plugin/properties";
import { toServiceError } from "../../src/plugin/server";

test("the secrets in the outputs of a partial failure are marked", () => {
  const outputs = { values: { token: "t", description: "d" }, marks: { token: true as const } };
  const { metadata } = toServiceError(new PartialFailure("It failed.", "ak_1", encloseSecrets(outputs)));
  const [details] = metadata.get("grpc-status-details-bin") as Buffer[];
  const [detail] = Status.deserializeBinary(details!).getDetailsList();
  const failure = deserialize(ErrorResourceInitFailed, detail!.getValue_asU8()) as ErrorResourceInitFailed;
  expect(decode(failure.getProperties())).toEqual(outputs);
});
