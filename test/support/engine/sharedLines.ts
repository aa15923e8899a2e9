/** In memory: the file to which the processes of a deployment append what their resources claim (src/engine/claimsFile.ts). */
import type { JsonObject } from "../../../src/base/json";
import type { SharedFile, SharedLine } from "../../../src/base/sharedFile";

export class SharedLines {
  /** Why nobody can append to it any more, or read it. */
  unwritable: string | undefined;
  unreadable: string | undefined;
  private readonly lines: SharedLine[] = [];
  private count = 0;

  /** This process has ended. */
  end(process: string): void {
    this.lines.push({ process });
  }

  /** The file as one more process sees it, which can append so many lines until its disk is full. */
  join(room = Number.POSITIVE_INFINITY): SharedFile {
    const process = String(++this.count);
    let offset = 0;
    let appended = 0;
    return {
      path: "/tmp/claims",
      append: (line) => {
        const isFull = appended++ >= room;
        if (isFull || this.unwritable !== undefined) throw new Error(this.unwritable ?? "no space left");
        this.lines.push({ process, line: JSON.parse(JSON.stringify(line)) as JsonObject });
      },
      read: () => {
        if (this.unreadable !== undefined) throw new Error(this.unreadable);
        const lines = this.lines.slice(offset).filter((each) => each.process !== process);
        offset = this.lines.length;
        return lines;
      },
    };
  }
}
