import type { Redaction } from "../../base/redaction";

/** Where the progress is shown. */
interface Terminal {
  err(text: string): void;
  /** Whether `err` is a terminal, where a line can be overwritten. */
  terminal: boolean;
}

/** Shows the progress of reading: on a terminal in one line that is overwritten, elsewhere in a line now and then. */
export class Progress {
  private current = "";
  private requests = 0;

  constructor(
    private readonly io: Terminal,
    private readonly redaction: Redaction,
  ) {}

  begin(current: string): void {
    this.current = current;
    this.requests = 0;
  }

  countRequest(): void {
    this.requests++;
    if (this.io.terminal) this.showDetail(`${this.requests} requests`);
  }

  showDetail(detail: string): void {
    const line = this.redaction.format(`Reading ${this.current}: ${detail}`);
    this.io.err(this.io.terminal ? `\r\x1b[K${line}` : `${line}\n`);
  }

  printLine(line: string): void {
    this.clearLine();
    this.io.err(`${this.redaction.format(line)}\n`);
  }

  clearLine(): void {
    if (this.io.terminal) this.io.err("\r\x1b[K");
  }
}
