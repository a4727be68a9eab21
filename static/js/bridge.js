/* What this script takes from app.js, which ran before it. */
const { announce, labelOf, openDialog, raises, tell, untell } = window.gatehouse;
