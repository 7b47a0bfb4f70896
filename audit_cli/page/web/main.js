/*
 * The page's own script: finds its places in the page, and starts.
 */

import {startApp} from "./view/app.js";

const main = document.getElementById("main");

document.getElementById("skip").addEventListener("click", (event) => {
  // The address names what is shown, so that the link itself must not change it.
  event.preventDefault();
  main.focus();
});

startApp(
  main,
  document.getElementById("told"),
  JSON.parse(document.getElementById("embedded").textContent),
);
