// Chooses the light or dark theme before the page is painted, by the user or the system.
const theme = {
  key: "hcbench-theme",
  system: window.matchMedia("(prefers-color-scheme: dark)"),
  chosen() {
    try {
      return localStorage.getItem(theme.key);
    } catch {
      return null; // a browser may keep nothing for files
    }
  },
  now() {
    return document.documentElement.dataset.theme;
  },
  show(name) {
    document.documentElement.dataset.theme = name;
    document.dispatchEvent(new Event("themechange"));
  },
  toggle() {
    const next = theme.now() === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(theme.key, next);
    } catch {
      // it holds until the page is left
    }
    theme.show(next);
  },
  settle() {
    theme.show(theme.chosen() ?? (theme.system.matches ? "dark" : "light"));
  },
};
theme.settle();
theme.system.addEventListener("change", theme.settle);
document.addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("theme");
  const tell = () => button.setAttribute("aria-pressed", String(theme.now() === "dark"));
  button.hidden = false;
  button.addEventListener("click", theme.toggle);
  document.addEventListener("themechange", tell);
  tell();
});
