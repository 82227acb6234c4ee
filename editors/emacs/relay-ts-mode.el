;;; relay-ts-mode.el --- Gradual Relay, with tree-sitter and Eglot  -*- lexical-binding: t -*-

;; Needs Emacs 29 or later with tree-sitter, the grammar of editors/tree-sitter-relay as `libtree-sitter-relay', and the
;; command `gradual' for Eglot.

(require 'treesit)

(defvar relay-ts-mode--font-lock
  (treesit-font-lock-rules
   :language 'relay :feature 'comment
   '([(line_comment) (block_comment)] @font-lock-comment-face)
   :language 'relay :feature 'keyword
   '(["def" "fn" "operator" "type" "extern" "let" "free_var" "assert" "where" "as"
      "if" "then" "else" "match" "match?" "and" "or" "not"] @font-lock-keyword-face)
   :language 'relay :feature 'name
   '((global) @font-lock-function-name-face
     [(variable) (graph_variable)] @font-lock-variable-use-face
     [(type_identifier) "Tensor"] @font-lock-type-face
     (attribute key: (name) @font-lock-property-name-face)
     (call function: (name) @font-lock-function-call-face))
   :language 'relay :feature 'value
   '([(number) (boolean) (hole)] @font-lock-constant-face (string) @font-lock-string-face)))

;;;###autoload
(define-derived-mode relay-ts-mode prog-mode "Relay"
  "Programs of Gradual Relay and of TVM's Relay."
  (setq-local comment-start "// ")
  (setq-local treesit-font-lock-settings relay-ts-mode--font-lock)
  (setq-local treesit-font-lock-feature-list '((comment keyword) (name value)))
  (setq-local treesit-defun-type-regexp "function_definition\\|operator_declaration\\|type_definition")
  (when (treesit-ready-p 'relay)
    (treesit-parser-create 'relay)
    (treesit-major-mode-setup)))

(add-to-list 'auto-mode-alist '("\\.\\(relay\\|rly\\)\\'" . relay-ts-mode))
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(relay-ts-mode . ("gradual" "lsp"))))

(provide 'relay-ts-mode)
