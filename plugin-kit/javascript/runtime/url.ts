// The bundler takes these for the globals of the same name. Hosts with other than ASCII letters have to be in Punycode.
export { URL, URLSearchParams } from 'whatwg-url-minimum';
