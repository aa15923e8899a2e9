import { testInput } from "./input";

testInput(400, Number(process.env["SEED"] ?? 1115));
