// Search over all pages of the site: SITE_PAGES has kind, title, path and words of each.
(() => {
  "use strict";
  const input = document.getElementById("search");
  const list = document.getElementById("found");
  const up = document.body.dataset.up;
  const most = 20;

  function show() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const score = ([, title]) => (title.toLowerCase() === words.join(" ") ? 0 : title.toLowerCase().startsWith(words[0]) ? 1 : 2);
    const found = words.length
      ? SITE_PAGES.filter(([kind, title, , more]) => {
          const text = `${kind} ${title} ${more}`.toLowerCase();
          return words.every((word) => text.includes(word));
        }).sort((a, b) => score(a) - score(b))
      : [];
    const items = found.slice(0, most).map(([kind, title, path]) => {
      const link = document.createElement("a");
      link.href = up + path;
      link.textContent = title;
      const item = document.createElement("li");
      const what = document.createElement("span");
      what.className = "soft";
      what.textContent = ` ${kind === "dataset" ? "data set" : kind}`;
      item.append(link, what);
      return item;
    });
    if (words.length && !found.length) {
      const item = document.createElement("li");
      item.textContent = "No page matches.";
      items.push(item);
    }
    list.replaceChildren(...items);
    list.hidden = !words.length;
  }

  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      input.value = "";
      show();
    } else if (event.key === "Enter") {
      list.querySelector("a")?.click();
    }
  });
})();
