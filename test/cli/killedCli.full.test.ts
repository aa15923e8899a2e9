import { testKilled } from "./killed";

testKilled("the CLI");
