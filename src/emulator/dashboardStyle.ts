export const style = `
:root { --ink: #1b2129; --soft: #57616c; --paper: #f4f6f8; --card: #fff; --line: #dce2e8; --accent: #1a5fb4;
  --new: #cdeed5; --good: #14703a; --bad: #b42318; --chip: #e8eef5; --field: #808b97; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7ebef; --soft: #9ba7b4; --paper: #12161a; --card: #1a2026; --line: #2e3842; --accent: #8ab8f5;
    --new: #1e4a2c; --good: #6fd08c; --bad: #ff8f80; --chip: #26303a; --field: #6c7885; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 100rem; padding: 1rem 1.25rem 3rem; font: 15px/1.45 system-ui, sans-serif;
  color: var(--ink); background: var(--paper); }
header { display: flex; flex-wrap: wrap; gap: 0 1.5rem; align-items: baseline; justify-content: space-between; }
h1 { font-size: 1.25rem; margin: 0; }
h2 { font-size: 1.05rem; margin: 1.25rem 0 .5rem; }
h3 { font-size: .85rem; font-weight: 600; margin: 1.1rem 0 .4rem; color: var(--soft); }
#status { margin: 0; color: var(--soft); }
#status::before { content: "●"; margin-right: .4rem; color: var(--bad); }
#status.on::before { color: var(--good); }
.soft { color: var(--soft); margin: .2rem 0; }
.count { font-weight: 400; color: var(--soft); }
.mono, dd, ol, pre { font: 12.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
ul, ol { list-style: none; margin: 0; padding: 0; }
ul > li, ol { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
#account { columns: 2 20rem; column-gap: .8rem; }
#account > :first-child { margin-top: 0; }
ul > li { padding: .6rem .8rem; margin-bottom: .6rem; break-inside: avoid; }
h3 { break-after: avoid; }
h4 { font-size: .95rem; margin: 0; overflow-wrap: anywhere; }
.title { display: flex; gap: .5rem; align-items: baseline; justify-content: space-between; }
.buttons { display: inline-flex; gap: .3rem; }
button { font: 12.5px/1.3 system-ui, sans-serif; color: var(--accent); background: none; border: 1px solid var(--line);
  border-radius: .3rem; padding: .1rem .45rem; cursor: pointer; }
button:hover { background: var(--chip); }
[role="alert"]:empty { display: none; }
#filter, textarea { width: 100%; margin-bottom: .5rem; padding: .3rem .6rem; color: inherit; background: var(--card);
  border: 1px solid var(--field); border-radius: .3rem; font: inherit; }
#filter::placeholder { color: var(--soft); opacity: 1; }
textarea { font: 12.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
dialog { width: min(44rem, 100% - 2rem); color: inherit; background: var(--paper); border: 1px solid var(--line);
  border-radius: .5rem; }
dialog::backdrop { background: #0008; }
dialog h2 { margin-top: 0; overflow-wrap: anywhere; }
li > .mono { color: var(--soft); margin: 0; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .15rem .7rem; margin: .4rem 0 0; }
dt { color: var(--soft); font-size: .85rem; }
dd { margin: 0; }
dl.modules { border-top: 1px solid var(--line); padding-top: .4rem; }
.modules dt { color: var(--accent); }
.modules dt.unset { color: var(--soft); }
.open { margin: 0; color: var(--bad); font-size: .85rem; font-weight: 600; }
.modules dt.off { color: var(--soft); text-decoration: line-through; }
ol:empty { display: none; }
ol { max-height: 42rem; overflow: auto; }
ol > li { border-bottom: 1px solid var(--line); }
ol > li:last-child { border-bottom: 0; }
.line { display: grid; grid-template-columns: 4.2rem minmax(0, 1fr) max-content 3.5rem; gap: .6rem; padding: .3rem .7rem; }
summary.line { cursor: pointer; }
summary.line:hover { background: var(--chip); }
.method { font-weight: 600; }
.method::before { display: inline-block; width: 1em; content: ""; color: var(--soft); font-weight: 400; }
summary .method::before { content: "▸"; }
[open] > summary .method::before { content: "▾"; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.time { color: var(--soft); text-align: right; }
pre { margin: 0; padding: .2rem .7rem .6rem 1.6rem; white-space: pre-wrap; color: var(--soft); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
@media (min-width: 64rem) {
  main { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 0 1.5rem; align-items: start; }
}
@media (prefers-reduced-motion: no-preference) {
  .new { animation: new 2.5s ease-out; }
  @keyframes new { from { background: var(--new); } }
}
`;
