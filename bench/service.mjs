// Runs the emulator in its own process, for the benchmark.
import { startEmulator } from "pulumi-tunnel-edge/emulator";

const { seedEdges = 0, ...options } = JSON.parse(process.argv[2] ?? "{}");
const service = await startEmulator(options);
for (let i = 0; i < seedEdges; i++) service.api("POST", "/edges/tcp", { hostports: [`${i}.tcp.example.com:20022`] });
process.send({ url: service.url, apiKey: service.apiKey });
process.on("disconnect", () => process.exit());
