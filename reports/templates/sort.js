"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const heads = Array.from(table.tHead.rows[0].cells);
  const key = (row, i) => {
    const cell = row.cells[i], holder = cell.querySelector("[data-value]");
    return holder ? Number(holder.dataset.value) : cell.textContent.trim();
  };
  const order = (a, b) => {
    const numbers = typeof a === "number" && typeof b === "number";
    if (numbers) return a - b;
    if (typeof a === "number") return -1;
    if (typeof b === "number") return 1;
    return a.localeCompare(b, "en", { numeric: true });
  };
  heads.forEach((head, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const first = head.classList.contains("right") ? "descending" : "ascending";
      const other = first === "ascending" ? "descending" : "ascending";
      const way = head.getAttribute("aria-sort") === first ? other : first;
      heads.forEach((h) => h.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", way);
      const sign = way === "ascending" ? 1 : -1;
      const rows = Array.from(body.rows);
      rows.sort((a, b) => sign * order(key(a, i), key(b, i)));
      body.append(...rows);
    });
  });
}
const folded = () => Array.from(document.querySelectorAll("details:not([open])"));
let opened = [];
addEventListener("beforeprint", () => { opened = folded(); opened.forEach((d) => { d.open = true; }); });
addEventListener("afterprint", () => { opened.forEach((d) => { d.open = false; }); });
