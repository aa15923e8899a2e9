import { testInput } from "./input";

testInput(2_000, Number(process.env["SEED"] ?? 1116));
