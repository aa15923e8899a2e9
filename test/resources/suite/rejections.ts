import type { ResourceDriver } from "../../support/host";
import { errorOf, type Fixture } from "./fixture";
import { getAt, setAt } from "./table";

export function testRejections(fixture: Fixture): void {
  const { definition, table, paths, parents } = fixture;
  const { displayName, routes, fields } = definition;
  const path = paths.find((each) => table.rows[each]!.change?.step === "update")!;
  const { other, change } = table.rows[path]!;
  const said =
    /returned 403 ERR_TUNNEL_FAULT: A fault asked for \(operation op_\w+\)\. The owner of the API key is not allowed to do this\.$/;
  const changed = () => setAt(fixture.full, path, other);
  const here = (resource: ResourceDriver) => ({ path: new RegExp(`^${fixture.pathTo(resource.state!.id)}`) });

  describe("refused by the service", () => {
    test("the create: nothing is kept, and the next up makes it", async () => {
      const { full, emulator } = fixture;
      const before = emulator.account;
      const resource = fixture.resource();
      emulator.fail({ status: 403 });
      const message = await errorOf(resource.up(full));
      expect(message).toMatch(said);
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

    test("the update: the state is as before, and the next up makes it", async () => {
      const { emulator } = fixture;
      const resource = await fixture.createResource();
      const { state } = resource;
      const held = emulator.account;
      emulator.fail({ status: 403 });
      const message = await errorOf(resource.up(changed()));
      expect(message).toMatch(said);
      expect(message).toMatch(`${displayName} ${state!.id} could not be updated: `);
      expect(resource.state).toEqual(state);
      expect(emulator.account).toEqual(held);
      fixture.takeRequests();
      expect(await resource.up(changed())).toBe("update");
      expect(fixture.takeRequests()).toEqual(change!.calls);
      await fixture.expectSettled(resource, changed());
    });

    test("the update of what is gone: the way out is told", async () => {
      const resource = await fixture.createResource();
      fixture.deletedOutside(resource.state!.id);
      if (parents.length > 0) return void expect(await resource.up(changed())).toBe("update"); // a PUT sets it again
      expect(await errorOf(resource.up(changed()))).toMatch(
        "If it was deleted, run `pulumi refresh`, then `pulumi up` to recreate it.",
      );
      await resource.refresh();
      expect(await resource.up(changed())).toBe("create");
    });

    test("the delete: it is still there, in the state too", async () => {
      const { emulator } = fixture;
      const resource = await fixture.createResource();
      const { state } = resource;
      const held = emulator.account;
      emulator.fail({ status: 403 });
      const message = await errorOf(resource.destroy());
      expect(message).toMatch(said);
      expect(message).toMatch(`${displayName} ${state!.id} could not be deleted: DELETE ${fixture.pathTo(state!.id)} `);
      expect(resource.state).toEqual(state);
      expect(emulator.account).toEqual(held);
      await resource.destroy();
    });

    test("the read: the state is as before", async () => {
      const resource = await fixture.createResource();
      const { state } = resource;
      fixture.emulator.fail({ status: 403 });
      const message = await errorOf(resource.refresh());
      expect(message).toMatch(said);
      expect(message).toMatch(`${displayName} ${state!.id} could not be read: GET ${fixture.pathTo(state!.id)} `);
      expect(resource.state).toEqual(state);
      expect(await resource.refresh()).toBe("same");
    });

    test("in words that repeat a secret: it is not shown", async () => {
      const { full, emulator } = fixture;
      const hidden = Object.keys(fields).filter((name) => fields[name]!.secret || fields[name]!.sensitive);
      const secrets = [emulator.apiKey, ...hidden.flatMap((name) => textsIn(full[name]))];
      const echo = { status: 403, body: { msg: `what is ${secrets.join(" and ")}?` } };
      emulator.fail(echo);
      const messages = [await errorOf(fixture.resource().up(full))];
      const resource = await fixture.createResource();
      emulator.fail({ ...echo, times: 3 });
      messages.push(
        await errorOf(resource.up(changed())),
        await errorOf(resource.refresh()),
        await errorOf(resource.destroy()),
      );
      for (const message of messages) {
        expect(message).toContain("what is [secret]");
        for (const secret of secrets) expect(message).not.toContain(secret);
      }
    });
  });

  describe("the answer is lost", () => {
    test("of an update: the state says what the service holds, and the next up has nothing to send", async () => {
      const resource = await fixture.createResource();
      fixture.emulator.fail({ ...here(resource), resetAfter: true });
      await expect(resource.up(changed())).rejects.toThrow("failed: the connection was closed before the response.");
      expect(getAt(resource.outputs, path)).toEqual(other);
      fixture.takeRequests();
      expect(await resource.up(changed())).toBe("update");
      expect(fixture.takeRequests()).toEqual([]);
      await fixture.expectSettled(resource, changed());
    });

    test("of an update that was not carried out: the next up makes it", async () => {
      const resource = await fixture.createResource();
      fixture.emulator.fail({ ...here(resource), resetBefore: true });
      await expect(resource.up(changed())).rejects.toThrow(" failed: ");
      expect(getAt(resource.outputs, path)).toEqual(getAt(fixture.full, path));
      fixture.takeRequests();
      expect(await resource.up(changed())).toBe("update");
      expect(fixture.takeRequests()).toEqual(change!.calls);
      await fixture.expectSettled(resource, changed());
    });

    test("of a delete: a look at the service finds it gone", async () => {
      const resource = await fixture.createResource();
      fixture.emulator.fail({ method: "DELETE", resetAfter: true });
      await resource.destroy();
    });

    test("of a delete, and the service cannot be asked: the next destroy finds it gone", async () => {
      const resource = await fixture.createResource();
      fixture.emulator.fail({ method: "DELETE", resetAfter: true });
      fixture.emulator.fail({ method: "GET", status: 503 });
      await expect(resource.destroy()).rejects.toThrow(" failed: ");
      await resource.destroy();
    });

    test("of a delete that was not carried out: the next destroy makes it", async () => {
      const resource = await fixture.createResource();
      fixture.emulator.fail({ method: "DELETE", resetBefore: true });
      await expect(resource.destroy()).rejects.toThrow(" failed: ");
      await resource.destroy();
    });

    if (parents.length > 0) {
      test("of a create: the state knows the module, and the next up has nothing to send", async () => {
        const { full } = fixture;
        const resource = fixture.resource();
        fixture.emulator.fail({ method: "PUT", resetAfter: true });
        await expect(resource.up(full)).rejects.toThrow(/could not be created: PUT \S+ failed: /);
        expect(resource.outputs).toMatchObject(full);
        fixture.takeRequests();
        expect(await resource.up(full)).toBe("update");
        expect(fixture.takeRequests()).toEqual([]);
        await fixture.expectSettled(resource, full);
      });

      for (const which of ["full", "minimal"] as const) {
        test(`of a create, and the service cannot be asked: the next up sets it again, with ${which} arguments`, async () => {
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

      test("of a create that was not carried out: nothing is kept", async () => {
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

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
