// What the shells run. Each script hands the line to `vcp complete`, whose first line of output says what kind of words
// follow: `values`, or `files` or `directories` where the shell itself knows better. Nothing is ever evaluated.

/**
 * bash cuts words at `=`, `:` and `@` too, and replaces only the last piece. So it hands over the line as it is and
 * gets back pieces.
 */
const bash = `# completion of vcp for bash: eval "$(vcp completion bash)"
_vcp_complete() {
  local line kind= program=$1
  COMPREPLY=()
  [[ $program == '~/'* ]] && program=$HOME/\${program#'~/'}
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <("$program" complete bash -- "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
  type compopt >/dev/null 2>&1 || return 0
  case $kind in
    files) compopt -o default ;;
    directories) compopt -o dirnames ;;
    *) [[ \${#COMPREPLY[@]} -gt 0 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace ;;
  esac
  return 0
}
complete -F _vcp_complete vcp
`;

const zsh = `#compdef vcp
# completion of vcp for zsh: eval "$(vcp completion zsh)"
_vcp() {
  local -a lines open closed
  local line value program=\${(Q)words[1]}
  [[ $program == '~/'* ]] && program=$HOME/\${program#'~/'}
  lines=("\${(@f)$("$program" complete zsh -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  case $lines[1] in
    files) compset -P '*[=@]'; _files ;;
    directories) _files -/ ;;
    values)
      for line in "\${(@)lines[2,-1]}"; do
        value=\${line%%$'\\t'*}
        line=\${value//:/\\\\:}\${line#$value}
        line=\${line/$'\\t'/:}
        if [[ $value == *= ]]; then open+=("$line"); else closed+=("$line"); fi
      done
      (( $#open )) && _describe -t values vcp open -S ''
      (( $#closed )) && _describe -t values vcp closed
      (( $#open + $#closed )) ;;
  esac
}
if [[ \${funcstack[1]} == _vcp ]]; then _vcp "$@"; else compdef _vcp vcp; fi
`;

const fish = `# completion of vcp for fish: vcp completion fish > ~/.config/fish/completions/vcp.fish
function __vcp_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l rest
    test (count $words) -gt 1; and set rest $words[2..-1]
    set -l lines ($words[1] complete fish -- $rest "$current" 2>/dev/null)
    switch "$lines[1]"
        case files directories
            set -l prefix (string match -r '^.*[=@]' -- "$current"; or echo '')
            for path in (__fish_complete_path (string replace -- "$prefix" '' "$current"))
                echo -- $prefix$path
            end
        case values
            test (count $lines) -gt 1; and printf '%s\\n' $lines[2..-1]
    end
end
complete -c vcp -e
complete -c vcp -f -a '(__vcp_complete)'
`;

export const COMPLETION_SCRIPTS = { bash, zsh, fish } as const;
export type Shell = keyof typeof COMPLETION_SCRIPTS;
