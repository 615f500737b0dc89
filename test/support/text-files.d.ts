/** The text of a file, as vitest gives it on every runtime. */
declare module '*?raw' {
  const text: string;
  export default text;
}
