import type { Life } from "../../support/host";
import { refusal, type Stage } from "./stage";
import { at, put } from "./table";

export function refusals(stage: Stage): void {
  const { definition, table, paths, parents } = stage;
  const { displayName, routes, fields } = definition;
  const path = paths.find((each) => table.rows[each]!.change?.step === "update")!;
  const { other, change } = table.rows[path]!;
  const said =
    /answered 403 ERR_TUNNEL_FAULT: A fault asked for \(operation op_\w+\)\. The key's owner is not allowed to do this\.$/;
  const changed = () => put(stage.full, path, other);
  const here = (life: Life) => ({ path: new RegExp(`^${stage.pathTo(life.state!.id)}`) });

  describe("refused by the service", () => {
    test("the create: nothing is kept, and the next up makes it", async () => {
      const { full, emulator } = stage;
      const before = emulator.account;
      const life = stage.resource();
      emulator.fail({ status: 403 });
      const message = await refusal(life.up(full));
      expect(message).toMatch(said);
      const id = parents
        .map((name) => ` ${full[name]}`)
        .join("/")
        .replace("/ ", "/");
      expect(message).toMatch(`${displayName}${id} could not be created: ${routes.create.split(" ")[0]} /`);
      expect(life.state).toBeUndefined();
      expect(emulator.account).toEqual(before);
      expect(await life.up(full)).toBe("create");
      await stage.settled(life, full);
    });

    test("the update: the state is as before, and the next up makes it", async () => {
      const { emulator } = stage;
      const life = await stage.begun();
      const { state } = life;
      const held = emulator.account;
      emulator.fail({ status: 403 });
      const message = await refusal(life.up(changed()));
      expect(message).toMatch(said);
      expect(message).toMatch(`${displayName} ${state!.id} could not be updated: `);
      expect(life.state).toEqual(state);
      expect(emulator.account).toEqual(held);
      stage.took();
      expect(await life.up(changed())).toBe("update");
      expect(stage.took()).toEqual(change!.calls);
      await stage.settled(life, changed());
    });

    test("the update of what is gone: the way out is told", async () => {
      const life = await stage.begun();
      stage.deletedByOthers(life.state!.id);
      if (parents.length > 0) return void expect(await life.up(changed())).toBe("update"); // a PUT sets it again
      expect(await refusal(life.up(changed()))).toMatch(
        "If it was deleted, run `pulumi refresh`, then `pulumi up` to recreate it.",
      );
      await life.refresh();
      expect(await life.up(changed())).toBe("create");
    });

    test("the delete: it is still there, in the state too", async () => {
      const { emulator } = stage;
      const life = await stage.begun();
      const { state } = life;
      const held = emulator.account;
      emulator.fail({ status: 403 });
      const message = await refusal(life.destroy());
      expect(message).toMatch(said);
      expect(message).toMatch(`${displayName} ${state!.id} could not be deleted: DELETE ${stage.pathTo(state!.id)} `);
      expect(life.state).toEqual(state);
      expect(emulator.account).toEqual(held);
      await life.destroy();
    });

    test("the read: the state is as before", async () => {
      const life = await stage.begun();
      const { state } = life;
      stage.emulator.fail({ status: 403 });
      const message = await refusal(life.refresh());
      expect(message).toMatch(said);
      expect(message).toMatch(`${displayName} ${state!.id} could not be read: GET ${stage.pathTo(state!.id)} `);
      expect(life.state).toEqual(state);
      expect(await life.refresh()).toBe("same");
    });

    test("in words that repeat a secret: it is not shown", async () => {
      const { full, emulator } = stage;
      const hidden = Object.keys(fields).filter((name) => fields[name]!.secret || fields[name]!.sensitive);
      const secrets = [emulator.apiKey, ...hidden.flatMap((name) => textsIn(full[name]))];
      const echo = { status: 403, body: { msg: `what is ${secrets.join(" and ")}?` } };
      emulator.fail(echo);
      const messages = [await refusal(stage.resource().up(full))];
      const life = await stage.begun();
      emulator.fail({ ...echo, times: 3 });
      messages.push(await refusal(life.up(changed())), await refusal(life.refresh()), await refusal(life.destroy()));
      for (const message of messages) {
        expect(message).toContain("what is [secret]");
        for (const secret of secrets) expect(message).not.toContain(secret);
      }
    });
  });

  describe("the answer is lost", () => {
    test("of an update: the state says what the service holds, and the next up has nothing to send", async () => {
      const life = await stage.begun();
      stage.emulator.fail({ ...here(life), resetAfter: true });
      await expect(life.up(changed())).rejects.toThrow("got no answer: the connection was closed before the answer.");
      expect(at(life.outputs, path)).toEqual(other);
      stage.took();
      expect(await life.up(changed())).toBe("update");
      expect(stage.took()).toEqual([]);
      await stage.settled(life, changed());
    });

    test("of an update that was not carried out: the next up makes it", async () => {
      const life = await stage.begun();
      stage.emulator.fail({ ...here(life), resetBefore: true });
      await expect(life.up(changed())).rejects.toThrow("got no answer");
      expect(at(life.outputs, path)).toEqual(at(stage.full, path));
      stage.took();
      expect(await life.up(changed())).toBe("update");
      expect(stage.took()).toEqual(change!.calls);
      await stage.settled(life, changed());
    });

    test("of a delete: a look at the service finds it gone", async () => {
      const life = await stage.begun();
      stage.emulator.fail({ method: "DELETE", resetAfter: true });
      await life.destroy();
    });

    test("of a delete, and the service cannot be asked: the next destroy finds it gone", async () => {
      const life = await stage.begun();
      stage.emulator.fail({ method: "DELETE", resetAfter: true });
      stage.emulator.fail({ method: "GET", status: 503 });
      await expect(life.destroy()).rejects.toThrow("got no answer");
      await life.destroy();
    });

    test("of a delete that was not carried out: the next destroy makes it", async () => {
      const life = await stage.begun();
      stage.emulator.fail({ method: "DELETE", resetBefore: true });
      await expect(life.destroy()).rejects.toThrow("got no answer");
      await life.destroy();
    });

    if (parents.length > 0) {
      test("of a create: the state knows the module, and the next up has nothing to send", async () => {
        const { full } = stage;
        const life = stage.resource();
        stage.emulator.fail({ method: "PUT", resetAfter: true });
        await expect(life.up(full)).rejects.toThrow(/could not be created: PUT \S+ got no answer/);
        expect(life.outputs).toMatchObject(full);
        stage.took();
        expect(await life.up(full)).toBe("update");
        expect(stage.took()).toEqual([]);
        await stage.settled(life, full);
      });

      for (const which of ["full", "least"] as const) {
        test(`of a create, and the service cannot be asked: the next up sets it again, with ${which} arguments`, async () => {
          const { [which]: args } = stage;
          const life = stage.resource();
          stage.emulator.fail({ method: "PUT", resetBefore: true });
          stage.emulator.fail({ method: "GET", status: 403 });
          await expect(life.up(args)).rejects.toThrow(/could not be created: PUT \S+ got no answer/);
          stage.took();
          expect(await life.up(args)).toBe("update");
          expect(stage.took().map(([call]) => call)).toEqual([routes.create]);
          await stage.settled(life, args);
        });
      }

      test("of a create that was not carried out: nothing is kept", async () => {
        const { full } = stage;
        const life = stage.resource();
        stage.emulator.fail({ method: "PUT", status: 500 });
        await expect(life.up(full)).rejects.toThrow("answered 500");
        expect(life.state).toBeUndefined();
        expect(await life.up(full)).toBe("create");
      });
    }
  });
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
