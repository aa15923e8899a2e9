import { testInput } from "./input";

testInput(150, Number(process.env["SEED"] ?? 1115));
