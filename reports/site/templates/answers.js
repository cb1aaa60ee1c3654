"use strict";
// Opens the answer that the address names.
(() => {
  function open() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const answer = target && target.closest("details");
    if (!answer) return;
    answer.open = true;
    answer.scrollIntoView();
  }
  window.addEventListener("hashchange", open);
  open();
})();
