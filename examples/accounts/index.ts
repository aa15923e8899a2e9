import * as pulumi from "@pulumi/pulumi";
import * as tunnel from "pulumi-tunnel-edge";

const config = new pulumi.Config();

// The administrators. Their key is encrypted in the stack's configuration.
const administrators = new tunnel.Provider("administrators", { apiKey: config.requireSecret("administratorsKey") });

// They create a key that the builders own. When the quarter changes, `pulumi up` creates a new key, lets the builders
// use it, and deletes the old one last.
const key = new tunnel.ApiKey(
  "builders",
  { description: "Builders", ownerId: "usr_builders", keepers: { quarter: "2027-Q1" } },
  { provider: administrators },
);

// What this provider creates belongs to the builders.
const builders = new tunnel.Provider("builders", { apiKey: key.token });

const credential = new tunnel.SshCredential(
  "builder",
  {
    description: "The build machine",
    publicKey:
      "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN9rBxdqmxfMTJr8JXvUBHMufQm3ZDbHiQ97e+FOV5eU builder@tunnel.example",
    acl: ["bind:*.builds.tunnel.example"],
  },
  { provider: builders },
);

// Functions take a provider too. This one waits for the key and the credential.
const { sshCredentials } = tunnel.getSshCredentialsOutput(
  { ownerId: "usr_builders" },
  { provider: builders, dependsOn: credential },
);

export const keyId = key.id;
export const credentials = sshCredentials.apply((all) => all.map(({ id, description }) => `${id}: ${description}`));
