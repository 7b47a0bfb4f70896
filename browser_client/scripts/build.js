/** Builds what is shipped: modules with their types, one file for plain pages, and the table page. */

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);

const run = (tool, ...options) => {
  execFileSync(process.execPath, [tool, ...options], { stdio: "inherit" });
};

run("node_modules/@bufbuild/buf/bin/buf", "generate");
rmSync("dist", { recursive: true, force: true });
mkdirSync("dist/table", { recursive: true });
run("node_modules/typescript/bin/tsc", "--project", "tsconfig.build.json");
const shared = { bundle: true, format: "esm", target: "es2022", platform: "browser", sourcemap: true, legalComments: "inline" };
await build({ ...shared, entryPoints: ["src/index.ts"], outfile: "dist/cutcard-client.js", minify: true });
await build({ ...shared, entryPoints: ["table/main.ts"], outfile: "dist/table/main.js", minify: true });
cpSync("../LICENSE", "dist/LICENSE");
for (const name of ["index.html", "style.css"]) cpSync(`table/${name}`, `dist/table/${name}`);
