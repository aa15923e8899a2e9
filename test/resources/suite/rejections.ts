import type { ResourceDriver } from "../../support/engine/resourceDriver";
import { describe, test } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";
import type { Fixture } from "./fixture";
import { getAt, setAt } from "./table";

export function testRejections(fixture: Fixture): void {
  const { definition, routes, table, parents, changed: path } = fixture;
  const { displayName } = definition;
  const { other, change } = table.rows[path]!;
  const forbidden =
    /returned 403 ERR_TUNNEL_FAULT: An injected fault \(operation op_\w+\)\. The owner of the API key is not allowed to do this\. Use a key whose owner is\.$/;
  const changed = () => setAt(fixture.full, path, other);
  const here = (resource: ResourceDriver) => ({ path: new RegExp(`^${fixture.pathTo(resource.state!.id)}`) });

  describe("rejected by the service", () => {
    test("a create: nothing is saved, and the next `pulumi up` creates it", async () => {
      const { full, emulator } = fixture;
      const before = emulator.account;
      const resource = fixture.resource();
      emulator.fail({ status: 403 });
      const message = await errorOf(resource.up(full));
      expect(message).toMatch(forbidden);
      const id = parents
        .map((name) => ` ${full[name]}`)
        .join("/")
        .replace("/ ", "/");
      expect(message).toMatch(`${displayName}${id} could not be created: ${routes.create.split(" ")[0]} /`);
      expect(resource.state).toBeUndefined();
      expect(emulator.account).toEqual(before);
      expect(await resource.up(full)).toBe("create");
      await fixture.expectSettled(resource, full);
    });

    test("an update: the state is unchanged, and the next `pulumi up` updates it", async () => {
      const { emulator } = fixture;
      const resource = await fixture.createResource();
      const { state } = resource;
      const held = emulator.account;
      emulator.fail({ status: 403 });
      const message = await errorOf(resource.up(changed()));
      expect(message).toMatch(forbidden);
      expect(message).toMatch(`${displayName} ${state!.id} could not be updated: `);
      expect(resource.state).toEqual(state);
      expect(emulator.account).toEqual(held);
      await fixture.expectUp(resource, changed(), "update", change!.calls);
    });

    test("an update of a deleted object: the message has the fix", async () => {
      const resource = await fixture.createResource();
      fixture.deletedOutside(resource.state!.id);
      if (parents.length > 0) return void expect(await resource.up(changed())).toBe("update"); // a PUT sets it again
      expect(await errorOf(resource.up(changed()))).toMatch(
        "If it was deleted, run `pulumi refresh`, then `pulumi up` to recreate it.",
      );
      await resource.refresh();
      expect(await resource.up(changed())).toBe("create");
    });

    test("a delete: the object and the state are unchanged", async () => {
      const { emulator } = fixture;
      const resource = await fixture.createResource();
      const { state } = resource;
      const held = emulator.account;
      emulator.fail({ status: 403 });
      const message = await errorOf(resource.destroy());
      expect(message).toMatch(forbidden);
      expect(message).toMatch(`${displayName} ${state!.id} could not be deleted: DELETE ${fixture.pathTo(state!.id)} `);
      expect(resource.state).toEqual(state);
      expect(emulator.account).toEqual(held);
      await resource.destroy();
    });

    test("a read: the state is unchanged", async () => {
      const resource = await fixture.createResource();
      const { state } = resource;
      fixture.emulator.fail({ status: 403 });
      const message = await errorOf(resource.refresh());
      expect(message).toMatch(forbidden);
      expect(message).toMatch(`${displayName} ${state!.id} could not be read: GET ${fixture.pathTo(state!.id)} `);
      expect(resource.state).toEqual(state);
      expect(await resource.refresh()).toBe("same");
    });
  });

  describe("the response is lost", () => {
    test("of an update: the state has what the service has, and the next `pulumi up` sends nothing", async () => {
      const resource = await fixture.createResource();
      fixture.emulator.fail({ ...here(resource), resetAfter: true });
      await expect(resource.up(changed())).rejects.toThrow("failed: the connection was closed before the response.");
      expect(getAt(resource.outputs, path)).toEqual(other);
      await fixture.expectUp(resource, changed(), "update", []);
    });

    test("of an update that was not applied: the next `pulumi up` applies it", async () => {
      const resource = await fixture.createResource();
      fixture.emulator.fail({ ...here(resource), resetBefore: true });
      await expect(resource.up(changed())).rejects.toThrow(" failed: ");
      expect(getAt(resource.outputs, path)).toEqual(getAt(fixture.full, path));
      await fixture.expectUp(resource, changed(), "update", change!.calls);
    });

    test("of a delete: a read finds it deleted", async () => {
      const before = fixture.emulator.account;
      const resource = await fixture.createResource();
      fixture.emulator.fail({ method: "DELETE", resetAfter: true });
      await resource.destroy();
      // Nothing has proven the address of this process yet.
      expect(fixture.takeRequests()).toEqual([[routes.delete], [routes.read], ["GET /api_keys"]]);
      expect(fixture.emulator.account).toEqual(before);
    });

    test("of a delete, and reads fail: the next destroy finds it deleted", async () => {
      const before = fixture.emulator.account;
      const resource = await fixture.createResource();
      fixture.emulator.fail({ method: "DELETE", resetAfter: true });
      fixture.emulator.fail({ method: "GET", status: 503 });
      await expect(resource.destroy()).rejects.toThrow(" failed: ");
      fixture.takeRequests();
      await resource.destroy();
      expect(fixture.takeRequests()[0]).toEqual([routes.delete]);
      expect(fixture.emulator.account).toEqual(before);
    });

    test("of a delete that was not applied: the next destroy deletes it", async () => {
      const before = fixture.emulator.account;
      const resource = await fixture.createResource();
      fixture.emulator.fail({ method: "DELETE", resetBefore: true });
      await expect(resource.destroy()).rejects.toThrow(" failed: ");
      expect(fixture.emulator.account).not.toEqual(before);
      fixture.takeRequests();
      await resource.destroy();
      expect(fixture.takeRequests()).toEqual([[routes.delete]]);
      expect(fixture.emulator.account).toEqual(before);
    });

    if (parents.length > 0) {
      test("of a create: the module is in the state, and the next `pulumi up` sends nothing", async () => {
        const { full } = fixture;
        const resource = fixture.resource();
        fixture.emulator.fail({ method: "PUT", resetAfter: true });
        await expect(resource.up(full)).rejects.toThrow(/could not be created: PUT \S+ failed: /);
        expect(resource.outputs).toMatchObject(full);
        await fixture.expectUp(resource, full, "update", []);
      });

      for (const which of ["full", "minimal"] as const) {
        test(`of a create, and reads fail: the next \`pulumi up\` sets it again, with ${which} arguments`, async () => {
          const { [which]: args } = fixture;
          const resource = fixture.resource();
          fixture.emulator.fail({ method: "PUT", resetBefore: true });
          fixture.emulator.fail({ method: "GET", status: 403 });
          await expect(resource.up(args)).rejects.toThrow(/could not be created: PUT \S+ failed: /);
          fixture.takeRequests();
          expect(await resource.up(args)).toBe("update");
          expect(fixture.takeRequests().map(([call]) => call)).toEqual([routes.create]);
          await fixture.expectSettled(resource, args);
        });
      }

      test("of a create that was not applied: nothing is saved", async () => {
        const { full } = fixture;
        const resource = fixture.resource();
        fixture.emulator.fail({ method: "PUT", status: 500 });
        await expect(resource.up(full)).rejects.toThrow("returned 500");
        expect(resource.state).toBeUndefined();
        expect(await resource.up(full)).toBe("create");
      });
    }
  });
}
