// Light or dark: as the system is, until the button is pressed.

function startTheme(onChange) {
  const root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const show = () => {
    byId("theme").setAttribute("aria-pressed", String(isDark()));
    onChange();
  };
  byId("theme").addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    show();
  });
  system.addEventListener("change", show);
  byId("theme").setAttribute("aria-pressed", String(isDark()));
}
