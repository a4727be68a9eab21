/* What this script takes from app.js, which ran before it. */
const { announce, labelOf, tell, untell } = window.gatehouse;
