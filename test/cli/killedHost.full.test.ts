import { testKilled } from "./killed";

testKilled("the host");
