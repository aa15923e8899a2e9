/** A statement that declares a resource. A string that begins with `=` is an expression, as in `"=edge.id"`. */
export function declare(type: string, name: string, args: object = {}, opts: object = {}, variable = name): string {
  const code = (value: object) => JSON.stringify(value).replace(/"=(.*?)"/g, (_, expression) => expression);
  return `const ${variable} = new tunnel.${type}("${name}", ${code(args)}, ${code(opts)});`;
}
