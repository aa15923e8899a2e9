import { copyExample, runJest } from "../support/cli/example";

jest.setTimeout(120_000); // the example's own jest loads everything again

test("the example's tests with mocks pass, without settings, a service or a CLI", async () => {
  const { code, printed } = await runJest(copyExample("components-and-tests"), ["mocks"]);
  expect({ code, printed }).toEqual({ code: 0, printed: expect.stringMatching(/Tests: +2 passed, 2 total/) });
});
