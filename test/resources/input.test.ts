import {} from "../support/engine/testedProvider";
import { testInput } from "./input";

testInput(300, Number(process.env["SEED"] ?? 1115));
