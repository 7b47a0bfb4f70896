import js from "@eslint/js";
import globals from "globals";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist/", "src/generated/", "node_modules/"] },
  js.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Numbers are told in every other sentence here, and print as they are read.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowAny: false, allowNullish: false }],
      "@typescript-eslint/no-unused-vars": ["error", { varsIgnorePattern: "^_+$", argsIgnorePattern: "^_+$" }],
      // Names of fields are those of the contract.
      "@typescript-eslint/dot-notation": "off",
      "@typescript-eslint/no-non-null-assertion": "error",
      // A value that holds itself is an interface with an index.
      "@typescript-eslint/consistent-indexed-object-style": "off",
      eqeqeq: "error",
      "no-eval": "error",
    },
  },
  { files: ["**/*.js"], languageOptions: { globals: globals.node } },
);
