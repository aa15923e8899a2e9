/** What the processes of a deployment know of each other. */
import { optionsOf, Processes } from "../../support/inProcess/processes";

test("two questions of one decision get answers that belong together", () => {
  const processes = new Processes();
  const [here, there] = [1, 2].map(() => processes.start("https://api.example.com", "key").deployment.register);
  const owners = (view = here!.view()) => view.ownersOf("/edges/tcp/edgtcp_1").map(({ key }) => key);
  const view = here!.view();
  expect(owners(view)).toEqual([]);
  there!.enter(optionsOf("e"), { "/edges/tcp/edgtcp_1": { name: "TCP edge edgtcp_1" } });
  expect([owners(view), owners()]).toEqual([[], ["e"]]);
});
