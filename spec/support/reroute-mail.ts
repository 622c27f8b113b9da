// Deno loads this module before it starts the hosted function: what the function sends to the mail API goes to the test's own server.
const { MAIL_API_OF_THE_TEST } = process.env;
const originalFetch = globalThis.fetch;

globalThis.fetch = (input, init) =>
  originalFetch(String(input).replace("https://api.resend.com", MAIL_API_OF_THE_TEST ?? ""), init);
